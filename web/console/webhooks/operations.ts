import type {
  AttemptFragment,
  CreateWebhookMutation,
  CreateWebhookMutationVariables,
  PauseWebhookMutation,
  PauseWebhookMutationVariables,
  RedeliverMessageMutation,
  RedeliverMessageMutationVariables,
  RemoveWebhookMutation,
  RemoveWebhookMutationVariables,
  ResumeWebhookMutation,
  ResumeWebhookMutationVariables,
  RotateWebhookSecretMutation,
  RotateWebhookSecretMutationVariables,
  TestWebhookMutation,
  TestWebhookMutationVariables,
  WebhookDeliveriesQuery,
  WebhookDeliveriesQueryVariables,
  WebhookEntryFragment,
  WebhooksQuery,
  WebhooksQueryVariables,
} from '../../../src/generated/web.ts';
import { openOperations } from '../client.ts';

export type Webhook = WebhookEntryFragment;
export type Attempt = AttemptFragment;
export type Delivery = NonNullable<WebhookDeliveriesQuery['webhook']>['deliveries'][number];
export type WebhookRequest = CreateWebhookMutationVariables['input'];

const { operation } = openOperations(new URL('webhooks.graphql', import.meta.url));
export const fetchWebhooks = operation<WebhooksQuery, WebhooksQueryVariables>('Webhooks');
export const fetchDeliveries = operation<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>('WebhookDeliveries');
export const createWebhook = operation<CreateWebhookMutation, CreateWebhookMutationVariables>('CreateWebhook');
export const rotateSecret = operation<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>(
  'RotateWebhookSecret',
);
export const pauseWebhook = operation<PauseWebhookMutation, PauseWebhookMutationVariables>('PauseWebhook');
export const resumeWebhook = operation<ResumeWebhookMutation, ResumeWebhookMutationVariables>('ResumeWebhook');
export const removeWebhook = operation<RemoveWebhookMutation, RemoveWebhookMutationVariables>('RemoveWebhook');
export const testWebhook = operation<TestWebhookMutation, TestWebhookMutationVariables>('TestWebhook');
export const redeliver = operation<RedeliverMessageMutation, RedeliverMessageMutationVariables>('RedeliverMessage');

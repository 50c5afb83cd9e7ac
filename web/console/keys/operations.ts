import type {
  ApiKeysQuery,
  ApiKeysQueryVariables,
  CreateApiKeyMutation,
  CreateApiKeyMutationVariables,
  KeyFragment,
  RevokeApiKeyMutation,
  RevokeApiKeyMutationVariables,
  RotateApiKeyMutation,
  RotateApiKeyMutationVariables,
} from '../../../src/generated/web.ts';
import { openOperations } from '../client.ts';

export type Key = KeyFragment;
export type KeyRequest = CreateApiKeyMutationVariables['input'];

const { operation } = openOperations(new URL('keys.graphql', import.meta.url));
export const fetchKeys = operation<ApiKeysQuery, ApiKeysQueryVariables>('ApiKeys');
export const createKey = operation<CreateApiKeyMutation, CreateApiKeyMutationVariables>('CreateApiKey');
export const rotateKey = operation<RotateApiKeyMutation, RotateApiKeyMutationVariables>('RotateApiKey');
export const revokeKey = operation<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>('RevokeApiKey');

import { openSite } from '../support/browser.ts';

/** The site of all tests in this folder. Webhooks are those of the console. */
export const site = await openSite({ webhooks: { deliver: true, allowHttp: true, allowNetworks: ['127.0.0.1/32'] } });

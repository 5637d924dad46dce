export type * from './api-types.js';
export type { CallOptions } from './call.js';
export { ApiError, ConnectionError, HousebillError, isApiError, TokenRefusedError } from './errors.js';
export { type Credentials, HousebillClient, type HousebillClientOptions } from './housebill-client.js';
export type { Page, Paged } from './pages.js';
export type { RetryPolicy } from './retry.js';
export { type SandboxHousehold, type SignedUpHousehold, signUpSandboxHousehold } from './sandbox-household.js';
export type { IssuedToken } from './token-source.js';
export { InvalidWebhookError, type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.js';

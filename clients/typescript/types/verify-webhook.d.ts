import type { WebhookMessage } from './api-types.js';
/** The message is not Housebill's, was changed on its way, or is too old. Respond with 400. */
export declare class InvalidWebhookError extends Error {
    name: string;
}
/** Headers as `fetch`, `node:http` or a serverless platform gives them, in any letter case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/** How strict `verifyWebhook` is. */
export interface VerifyOptions {
    /** How far the time of the attempt may be from your clock, in seconds. Defaults to 300. */
    toleranceSeconds?: number;
    /** Your clock. Defaults to the machine's. */
    now?: Date;
}
/**
 * Checks the signature of a webhook message (Standard Webhooks) and returns the message.
 *
 * `rawBody` is the body as received: parsing and serialising it again would change it. `secret` is the webhook's secret, or several of which
 * one must fit, as while you replace it. Throws InvalidWebhookError.
 */
export declare function verifyWebhook(rawBody: string | Uint8Array, headers: WebhookHeaders, secret: string | readonly string[], { toleranceSeconds, now }?: VerifyOptions): Promise<WebhookMessage>;

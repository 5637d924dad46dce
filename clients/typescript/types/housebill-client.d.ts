import type { Call, CallOptions } from './call.js';
import { Operations } from './operations.js';
import { type RetryPolicy } from './retry.js';
import { type IssuedToken } from './token-source.js';
/**
 * How the client gets its tokens: with your credentials, or from a function of yours, such as one that signs with a
 * private key.
 */
export type Credentials = {
    clientId: string;
    clientSecret: string;
    fetchToken?: undefined;
} | {
    fetchToken: () => Promise<IssuedToken>;
    clientId?: undefined;
    clientSecret?: undefined;
};
export type HousebillClientOptions = Credentials & {
    /** The server, such as `https://bills.example`. */
    baseUrl: string;
    /** How long one attempt may take, in milliseconds. Defaults to 60,000. */
    timeoutMs?: number;
    /** What to change about the retries. */
    retry?: Partial<RetryPolicy>;
    /** Replaces the global `fetch`, for a proxy or a test. */
    fetch?: typeof fetch;
    /** Replaces the pause before a retry, for a test. */
    pause?: (milliseconds: number) => Promise<void>;
};
/**
 * Calls the partner API of a Housebill server. One client is enough for a program: it fetches one token for all calls.
 *
 * Methods return the body of the response and throw ApiError, TokenRefusedError or ConnectionError. Responses with 429
 * or 5xx and lost connections are retried first.
 */
export declare class HousebillClient extends Operations {
    #private;
    /** Throws TypeError for a wrong `baseUrl`, and in a browser if it is given a secret, which visitors could read. */
    constructor(options: HousebillClientOptions);
    protected send<Response>(call: Call, options: CallOptions): Promise<Response>;
}

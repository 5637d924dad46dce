import type { Call, CallOptions } from './call.js';
import { type HousebillError } from './errors.js';
/** Where and how requests are sent. */
export interface Transport {
    /** Without a slash at the end. */
    baseUrl: string;
    fetch: typeof fetch;
    timeoutMs: number;
    userAgent: string;
}
/** The body of a successful response, or why there is none. */
export type Outcome = {
    body: unknown;
} | {
    error: HousebillError;
};
/** Sends a call once. Throws only the reason of the caller's own signal. */
export declare function exchange({ baseUrl, fetch, timeoutMs, userAgent }: Transport, call: Call, headers: Readonly<Record<string, string>>, { signal }: CallOptions): Promise<Outcome>;
/** The part of a URL after its path: empty without members. */
export declare function searchOf(query?: NonNullable<Call['query']>): string;

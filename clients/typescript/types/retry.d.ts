import { type HousebillError } from './errors.js';
/** How calls are retried. */
export interface RetryPolicy {
    /** How often a call is repeated after its first attempt. */
    maxRetries: number;
    /** The longest pause before the first retry, in milliseconds. It doubles with each further one. */
    firstPauseMs: number;
    /**
     * The longest pause, in milliseconds. If the server asks for a longer one, the call fails at once, and you decide.
     */
    longestPauseMs: number;
}
export declare const defaultRetryPolicy: RetryPolicy;
/**
 * The pause in milliseconds before a failed call is repeated; undefined if it must not be. `retries` is how often it
 * was repeated already, and `random` is from 0 to 1.
 *
 * Every operation can be repeated safely: a POST has an idempotency key, and repeating any other changes nothing more.
 */
export declare function pauseBeforeRetry(error: HousebillError, retries: number, { maxRetries, firstPauseMs, longestPauseMs }: RetryPolicy, random: number): number | undefined;
/** The seconds of a `Retry-After` header, which can be a number or an HTTP date; undefined if it is neither. */
export declare function parseRetryAfter(header: string | null, now: number): number | undefined;

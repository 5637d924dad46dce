import type { ErrorCode, InvalidField, Problem, TokenError, TokenErrorCode } from './api-types.js';
/** What every error of a call has in common. */
export declare class HousebillError extends Error {
    name: string;
    /** The operation that was called. */
    readonly operationId: string;
    /** The HTTP status; undefined if there was no response. */
    readonly status: number | undefined;
    /** The response's `Retry-After` in seconds; undefined if it had none. */
    readonly retryAfterSeconds: number | undefined;
    constructor(message: string, about: ErrorOrigin, cause?: unknown);
}
/** Where an error comes from. */
export interface ErrorOrigin {
    operationId: string;
    status?: number | undefined;
    retryAfterSeconds?: number | undefined;
}
/** Housebill refused the call, and says why: see `code`, and the page at `type`. */
export declare class ApiError<Code extends ErrorCode = ErrorCode> extends HousebillError {
    name: string;
    readonly code: Code;
    /** A summary, the same for every error with this code. */
    readonly title: string;
    /** What went wrong and how to fix it. */
    readonly detail: string;
    /** A URL that opens the documentation of this error. */
    readonly type: string;
    /** Name this id when you ask the operator about the error. */
    readonly requestId: string;
    /** Every invalid field of the request. */
    readonly errors: readonly InvalidField[];
    constructor(problem: Problem & {
        code: Code;
    }, about: ErrorOrigin);
}
/** The server issued or revoked no token. */
export declare class TokenRefusedError extends HousebillError {
    name: string;
    readonly code: TokenErrorCode;
    constructor({ error, error_description }: TokenError, about: ErrorOrigin);
}
/**
 * There was no response, or one that is not Housebill's, such as the error page of a proxy. A change may have been made
 * or not.
 */
export declare class ConnectionError extends HousebillError {
    name: string;
}
/**
 * Whether Housebill refused a call for one of these reasons; without codes, for any reason.
 *
 *     if (isApiError(error, 'quote_expired')) await client.getQuoteTotalCost(quoteId)
 */
export declare function isApiError<Code extends ErrorCode = ErrorCode>(error: unknown, ...codes: readonly Code[]): error is ApiError<Code>;

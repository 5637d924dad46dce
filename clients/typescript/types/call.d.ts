/** One call of an operation, before the token and the headers are added. */
export interface Call {
    operationId: string;
    method: string;
    /** The path from the root of the server, with its ids. */
    path: string;
    /** Members that are undefined are not sent. */
    query?: Readonly<Record<string, string | number | boolean | undefined>>;
    /** Sent as JSON; undefined sends no body. */
    body?: unknown;
    /** The operation accepts an Idempotency-Key. */
    takesKey?: true;
    /** The operation needs no token. */
    isPublic?: true;
}
/** What you can set for a single call. */
export interface CallOptions {
    /**
     * The `Idempotency-Key` of a POST. Without it, every call gets a key of its own, which its retries share. Set your
     * own, such as the id of your order, if your program may repeat the call after a restart.
     */
    idempotencyKey?: string;
    /**
     * The `Housebill-Test-Error` header of the first attempt, such as `service_unavailable; when=after`. Only sandboxes
     * obey it. The client's own retries are sent without it.
     */
    testError?: string;
    /** Ends the call, and any wait before a retry. The method then throws the signal's reason. */
    signal?: AbortSignal;
}
/** An id as a part of a path. Throws TypeError for one that would lead to another path. */
export declare function segment(id: string): string;

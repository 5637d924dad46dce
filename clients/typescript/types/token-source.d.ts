/** A token, and for how many seconds it is valid. */
export interface IssuedToken {
    accessToken: string;
    expiresInSeconds: number;
}
/** Fetches a token once, for all calls, and again when it ends or is rejected. */
export declare class TokenSource {
    #private;
    constructor(fetchToken: () => Promise<IssuedToken>);
    /** A token to send. Calls that need one at the same moment wait for the same request. */
    get(): Promise<string>;
    /** Forgets a token that the server rejected, unless it was replaced already. */
    reject(token: string): Promise<void>;
}

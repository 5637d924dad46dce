/** A token, and for how many seconds it is valid. */
export interface IssuedToken {
  accessToken: string
  expiresInSeconds: number
}

/** How long before its end a token is replaced, so that it does not end on its way: at most half of its life. */
const marginSeconds = 30

/** Fetches a token once, for all calls, and again when it ends or is rejected. */
export class TokenSource {
  readonly #fetchToken: () => Promise<IssuedToken>
  #current: Promise<string> | undefined
  #validUntil = 0

  constructor(fetchToken: () => Promise<IssuedToken>) {
    this.#fetchToken = fetchToken
  }

  /** A token to send. Calls that need one at the same moment wait for the same request. */
  get(): Promise<string> {
    if (this.#current !== undefined && performance.now() < this.#validUntil) return this.#current
    this.#validUntil = Number.POSITIVE_INFINITY
    const fetching = this.#fetchToken().then(
      ({ accessToken, expiresInSeconds }) => {
        if (this.#current === fetching)
          this.#validUntil =
            performance.now() + (expiresInSeconds - Math.min(marginSeconds, expiresInSeconds / 2)) * 1_000
        return accessToken
      },
      (error: unknown) => {
        if (this.#current === fetching) this.#current = undefined
        throw error
      },
    )
    this.#current = fetching
    return fetching
  }

  /** Forgets a token that the server rejected, unless it was replaced already. */
  async reject(token: string): Promise<void> {
    const current = this.#current
    if (current !== undefined && (await current) === token && this.#current === current) this.#current = undefined
  }
}

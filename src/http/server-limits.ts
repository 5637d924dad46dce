/**
 * Limits on one connection and one request. Beyond them, the server returns an error, or closes the connection if it cannot
 * respond.
 */
export interface ServerLimits {
  /** Request line and headers together, in bytes. */
  headerBytes: number
  headerFields: number
  queryParameters: number
  /** From the first byte, or from the opening of the connection, to the end of the headers. */
  headersMs: number
  /** To the end of the body. */
  requestMs: number
  /** Between two requests on a connection. Longer than proxies use, so that they close connections first. */
  idleMs: number
  /** Without a byte in either direction, while a request is handled or the client does not read the response. */
  stalledMs: number
  /** How often the first two times are checked. */
  checkEveryMs: number
  requestsPerConnection: number
  connections: number
}

export const defaultServerLimits: ServerLimits = {
  headerBytes: 16_384,
  headerFields: 100,
  queryParameters: 100,
  headersMs: 15_000,
  requestMs: 30_000,
  idleMs: 72_000,
  stalledMs: 120_000,
  checkEveryMs: 1_000,
  requestsPerConnection: 10_000,
  connections: 4_096,
}

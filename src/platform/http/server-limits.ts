/** The most bytes that the body of an operation can have. */
export const bodyLimitBytes = 65_536
/** The same for an operation that takes a whole list. */
export const listLimitBytes = 1_048_576

/**
 * Limits on one connection and one request. If one is exceeded, the server returns an error, or closes the connection
 * if it cannot respond.
 */
export interface ServerLimits {
  /** The maximum size of the request line and headers together. */
  headerBytes: number
  headerFields: number
  queryParameters: number
  /**
   * The time limit for receiving the headers, counted from the request's first byte or from the opening of a
   * connection.
   */
  headersMs: number
  /**
   * The time limit for receiving the whole request, counted from its first byte or from the opening of a connection.
   */
  requestMs: number
  /**
   * How long a connection may be idle between requests. This is longer than the limit of common proxies, so that the
   * proxy closes first.
   */
  idleMs: number
  /** The same for connections on which no request was authenticated, also before the first request. */
  strangerIdleMs: number
  /**
   * How long a connection may go without a byte in either direction while a request is handled or its response is sent.
   */
  stalledMs: number
  /** How often `headersMs` and `requestMs` are checked. */
  checkEveryMs: number
  requestsPerConnection: number
  connections: number
  /** The most connections from one IPv4 address or one IPv6 /48. */
  connectionsPerSite: number
  /** For how long the page of metrics is sent as it was. */
  metricsFreshForMs: number
}

export const defaultServerLimits: ServerLimits = {
  headerBytes: 16_384,
  headerFields: 100,
  queryParameters: 100,
  headersMs: 15_000,
  requestMs: 30_000,
  idleMs: 72_000,
  strangerIdleMs: 5_000,
  stalledMs: 120_000,
  checkEveryMs: 1_000,
  requestsPerConnection: 10_000,
  connections: 4_096,
  connectionsPerSite: 256,
  metricsFreshForMs: 5_000,
}

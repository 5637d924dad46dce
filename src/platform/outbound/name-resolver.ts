/** The part of DNS that we need. */
export interface NameResolver {
  /**
   * All IPv4 and IPv6 addresses of a fully qualified name in canonical form; empty if the name does not exist or has no
   * addresses. Rejects with `NameResolutionFailed` if the lookup failed. The promise always settles within seconds.
   */
  resolve(hostname: string): Promise<readonly string[]>
}

/** The lookup failed, so it is not known whether the name exists. */
export class NameResolutionFailed extends Error {
  override readonly name = 'NameResolutionFailed'
}

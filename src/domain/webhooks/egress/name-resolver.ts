/** DNS, as far as we need it. */
export interface NameResolver {
  /**
   * All IPv4 and IPv6 addresses of a fully qualified name in canonical spelling; empty if the name does not exist or has none. Rejects
   * with `NameResolutionFailed` if the lookup failed. Always settles within seconds.
   */
  resolve(hostname: string): Promise<readonly string[]>
}

/** The lookup failed, so it is not known whether the name exists. */
export class NameResolutionFailed extends Error {
  override readonly name = 'NameResolutionFailed'
}

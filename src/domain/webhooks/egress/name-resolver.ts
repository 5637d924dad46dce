/** DNS, as far as we need it. */
export interface NameResolver {
  /**
   * All IPv4 and IPv6 addresses of a fully qualified name in their canonical spelling; empty where the name does not
   * exist or has none. Rejects with `NameResolutionFailed` where no answer was to be had. Always settles within seconds.
   */
  resolve(hostname: string): Promise<readonly string[]>
}

/** The name servers did not answer, or not usefully: whether the name exists is not known. */
export class NameResolutionFailed extends Error {
  override readonly name = 'NameResolutionFailed'
}

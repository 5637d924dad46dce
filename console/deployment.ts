/** The deployment's facts, from the served page. */
export interface Deployment {
  realm: 'sandbox' | 'live'
  /** `outside`: tokens come from an external identity provider that this page cannot call. */
  tokensFrom: 'here' | 'outside'
  /** The audience to request tokens for, if this server issues them. */
  audience: string
}

/** Reads the facts the server wrote into the page's root element. */
export function readDeployment({ dataset }: HTMLElement): Deployment {
  return {
    realm: dataset.realm === 'live' ? 'live' : 'sandbox',
    tokensFrom: dataset.tokens === 'outside' ? 'outside' : 'here',
    audience: dataset.audience ?? '',
  }
}

/** What the served page says of this deployment. */
export interface Deployment {
  realm: 'sandbox' | 'live'
  /** `outside`: tokens come from an identity provider that this page cannot ask. */
  tokensFrom: 'here' | 'outside'
  /** What a token has to be asked for, where it is asked for here. */
  audience: string
}

/** Reads what the server wrote at the page's root. */
export function readDeployment({ dataset }: HTMLElement): Deployment {
  return {
    realm: dataset.realm === 'live' ? 'live' : 'sandbox',
    tokensFrom: dataset.tokens === 'outside' ? 'outside' : 'here',
    audience: dataset.audience ?? '',
  }
}

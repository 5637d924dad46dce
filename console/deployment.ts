/** What the server tells the console about the deployment. */
export interface Deployment {
  realm: 'sandbox' | 'live'
  /** `outside` means that tokens come from an external identity provider, which this page cannot call. */
  tokensFrom: 'here' | 'outside'
  /** The audience to request tokens for, if this server issues them. */
  audience: string
}

/** Reads the data attributes in which the server describes the deployment, from the page's root element. */
export function readDeployment({ dataset }: HTMLElement): Deployment {
  return {
    realm: dataset.realm === 'live' ? 'live' : 'sandbox',
    tokensFrom: dataset.tokens === 'outside' ? 'outside' : 'here',
    audience: dataset.audience ?? '',
  }
}

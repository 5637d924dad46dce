/** What the server tells the console about the deployment. */
export interface Deployment {
  realm: 'sandbox' | 'live'
  /** `outside` means that tokens come from an external identity provider, so that the user pastes one. */
  tokensFrom: 'here' | 'outside'
}

/** Reads the data attributes in which the server describes the deployment, from the page's root element. */
export function readDeployment({ dataset }: HTMLElement): Deployment {
  return {
    realm: dataset.realm === 'live' ? 'live' : 'sandbox',
    tokensFrom: dataset.tokens === 'outside' ? 'outside' : 'here',
  }
}

import { decodeJwt } from 'jose'
import type { Partner } from '../support/client.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { TenantBrowser } from '../tenant-pages/tenant-browser.ts'

/** Where the pages for developers are. */
export const root = '/workplace/developers'

/** Signs in with the credentials of a partner, which have the secret of the service's. */
export async function signIn(
  { baseUrl, credentials: { clientSecret } }: ServiceUnderTest,
  { token }: Pick<Partner, 'token'>,
  path = '/',
): Promise<TenantBrowser> {
  const browser = new TenantBrowser(baseUrl)
  await browser.open(`${root}${path}`)
  await browser.send('Sign in', { clientId: String(decodeJwt(token).client_id), clientSecret })
  return browser
}

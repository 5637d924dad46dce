import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getToken } from '../../support/client.ts'
import { newSigningKey, startIdentityProvider } from '../../support/identity-provider.ts'
import { startTestService } from '../../support/service.ts'
import { shareBrowser } from '../pages/browser.ts'
import { openTab, textOf, waitForHeading } from './console-fixture.ts'

const audience = 'https://bills.example/partner-api'
const client = { clientId: 'acme', clientSecret: 'the secret of acme' }

test('the sign-in form asks for an access token if tokens come from an external provider, and accepts it', async (t) => {
  const provider = await startIdentityProvider({ audience, keys: [await newSigningKey('first')], clients: [client] })
  after(() => provider.stop())
  const service = await startTestService({
    AUTH_AUDIENCE: audience,
    IDP_ISSUER: provider.issuer,
    IDP_TOKEN_URL: provider.tokenUrl,
    IDP_JWKS_URL: provider.jwksUrl,
    SANDBOX_CLIENT_ID: client.clientId,
    SANDBOX_CLIENT_SECRET: '',
  })
  after(() => service.stop())
  const browser = await shareBrowser()

  const page = await openTab(t, { service, browser })
  await page.goto(`${service.baseUrl}/console`)
  assert.match(await textOf(page, '#sign-in'), /an external identity provider, and this page cannot request one/)
  assert.equal(await page.getByLabel('Client secret').count(), 0)
  await page.getByLabel('Access token').fill('something else')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The token was rejected: it was not issued for this service').waitFor()
  await page.getByLabel('Access token').fill(await getToken(service.baseUrl, client))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForHeading(page, 'Webhooks')
  await page.getByText('You have no webhooks yet').waitFor()
})

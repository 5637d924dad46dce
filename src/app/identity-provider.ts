import type { TokenSource } from '../partners/access-dependencies.ts'
import { createIdentityProvider, keySetUpstreamName, tokenEndpointName } from '../partners/identity-provider/http.ts'
import type { IdentityProvider } from '../partners/identity-provider.ts'
import { createOperatorTokens, type OperatorTokens } from '../partners/operators/operator-tokens.ts'
import { readSigningKeys } from '../partners/signing-keys.ts'
import { embeddedTokenRules, externalTokenRules, type TokenRules } from '../partners/token-rules.ts'
import type { Config } from '../platform/config/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { longestTokenSeconds } from '../platform/kernel/token-lifetime.ts'
import type { OpenUpstream } from './upstream-systems.ts'

/** The client for the external identity provider, if one is configured. */
export function connectIdentityProvider({
  config,
  clock,
  open,
}: {
  config: Config
  clock: Clock
  open: OpenUpstream
}): IdentityProvider | undefined {
  const { identityProvider } = config.auth
  if (identityProvider === undefined) return undefined
  const tokenUrl = new URL(identityProvider.tokenUrl)
  const jwksUrl = new URL(identityProvider.jwksUrl)
  const tokens = open(tokenEndpointName, tokenUrl.origin)
  const keys = open(keySetUpstreamName, jwksUrl.origin)
  return createIdentityProvider({ tokens, tokenPath: tokenUrl.pathname, keys, keysPath: jwksUrl.pathname, clock })
}

interface TokenDependencies {
  config: Config
  db: Database
  cipher: FieldCipher
  clock: Clock
  identityProvider: IdentityProvider | undefined
}

/** Sets up how tokens are issued and verified: by the embedded provider, unless an external one is configured. */
export async function connectTokenIssuer({
  config,
  db,
  cipher,
  clock,
  identityProvider,
}: TokenDependencies): Promise<{ tokenSource: TokenSource; tokenRules: TokenRules; operatorTokens: OperatorTokens }> {
  const { audience, issuer, identityProvider: external } = config.auth
  const signingKeys = await readSigningKeys({ db, cipher })
  const operatorTokens = createOperatorTokens(
    { db, clock, cipher },
    { signingKeys, issuer, audience: `${issuer}/operator-api` },
  )
  if (identityProvider !== undefined && external !== undefined) {
    return {
      tokenSource: { external: identityProvider, audience },
      tokenRules: externalTokenRules({ issuer: external.issuer, audience, keys: identityProvider }),
      operatorTokens,
    }
  }
  return {
    operatorTokens,
    tokenSource: {
      embedded: {
        signingKeys,
        issuer,
        audience,
        lifetimeSeconds: config.auth.tokenLifetimeSeconds,
      },
    },
    tokenRules: embeddedTokenRules({
      issuer,
      audience,
      publicKeys: async () => signingKeys.publicKeys,
      // Not the setting: tokens issued before it was shortened stay valid.
      longestLifetimeSeconds: longestTokenSeconds,
    }),
  }
}

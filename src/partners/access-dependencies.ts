import type { Databases } from '../platform/db/databases.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { IdentityProvider } from './identity-provider.ts'
import type { TokenIssuer } from './issue-token.ts'
import type { OperatorTokens } from './operators/operator-tokens.ts'
import type { PartnerDirectory } from './partner-directory.ts'
import type { RevokedTokens } from './revocation/revoked-tokens.ts'
import type { TokenVerifier } from './verify-token.ts'

/** Who issues access tokens: the embedded identity provider or a configured external one. */
export type TokenSource = { embedded: TokenIssuer } | { external: IdentityProvider; audience: string }

/** How programs get tokens, and who calls with one. */
export interface AccessDependencies {
  databases: Databases
  clock: Clock
  cipher: FieldCipher
  tokenVerifier: TokenVerifier
  revokedTokens: RevokedTokens
  tokenSource: TokenSource
  operatorTokens: OperatorTokens
  partners: PartnerDirectory
}

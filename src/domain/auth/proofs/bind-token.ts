import type { Credential } from '../partners.store.ts'
import type { DpopProofs, ProvenRequest } from './dpop-proofs.ts'

/** The DPoP proof of a token call. */
export interface TokenProof {
  text: string
  request: ProvenRequest
}

/**
 * The key to which a new token is bound: that of the call's proof. Undefined if the call has no proof and the credentials do not require
 * one. Otherwise an error of RFC 9449 §5.
 */
export async function keyToBindTo(
  dpopProofs: DpopProofs,
  { requiresDpop }: Pick<Credential, 'requiresDpop'>,
  proof: TokenProof | undefined,
): Promise<{ thumbprint: string | undefined } | { error: 'invalid_dpop_proof'; description: string }> {
  const checked =
    proof === undefined
      ? requiresDpop
        ? { refused: 'these credentials require one' }
        : { thumbprint: undefined }
      : await dpopProofs.check(proof.text, proof.request)
  return 'refused' in checked
    ? { error: 'invalid_dpop_proof', description: `The DPoP header was rejected: ${checked.refused}.` }
    : checked
}

import type { JSONWebKeySet } from 'jose'
import { readVerificationKey } from '../verification-key.ts'

/** Enough for a key in use and its successor on several machines. */
const maxKeys = 10

/**
 * Reads the public keys of a client: a JWK set or one JWK (RFC 7517). Returns why they cannot be used, worded for the operator, if a key is
 * private, weak or of an unknown kind.
 */
export function readClientKeys(text: string): JSONWebKeySet | { invalid: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { invalid: 'The file must contain JSON.' }
  }
  const keys: unknown[] = isObject(value) && Array.isArray(value.keys) ? value.keys : [value]
  if (keys.length === 0 || keys.length > maxKeys) return { invalid: `The file must contain 1 to ${maxKeys} keys.` }
  if (!keys.every(isObject)) return { invalid: 'The file must contain a JWK set or one JWK (RFC 7517).' }
  if (keys.some((key) => 'd' in key || 'k' in key))
    return {
      invalid:
        'The file contains a private key. Send only public keys, and replace this one if it has left its machine.',
    }
  if (!keys.every((key) => readVerificationKey(key) !== undefined))
    return { invalid: 'Each key must be for signatures: P-256, Ed25519, or RSA of at least 2,048 bits.' }
  return { keys: keys as JSONWebKeySet['keys'] }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

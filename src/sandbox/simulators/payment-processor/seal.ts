import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts data that the simulator must be able to return but that must not be readable in its tables. */
export interface Seal {
  /** `context` names the row, so a value that was moved to another row cannot be decrypted. */
  seal(text: string, context: string): string
  /** Throws if the value was altered, moved to another row, or encrypted with a different secret key. */
  open(sealed: string, context: string): string
}

/** AES-256-GCM under a key derived from the simulator's secret key: nonce, tag and ciphertext in one Base64 text. */
export function createSeal(secretKey: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'simulated processor records', 32))
  return {
    seal: (text, context) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64')
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}

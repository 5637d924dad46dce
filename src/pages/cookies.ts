import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A cookie that scripts cannot read and other sites' forms do not send. */
export interface Cookie {
  /** Its value; undefined if the browser sent none, or two, of which one is somebody else's. */
  in(request: FastifyRequest): string | undefined
  /** `path` is where the browser sends it. A cookie of the host has none. */
  set(reply: FastifyReply, value: string, at: { seconds: number; path?: string }): void
  clear(reply: FastifyReply, at?: { path?: string }): void
}

/**
 * A cookie of the whole host (`__Host-`), or of the paths that it is set for (`__Secure-`), so that housemates can share
 * a browser. Over HTTP, which only a sandbox serves, it has its plain name: browsers reject the others there.
 */
export function createCookie(publicUrl: string, name: string, { of }: { of: 'host' | 'path' }): Cookie {
  const isSecure = publicUrl.startsWith('https://')
  const fullName = isSecure ? `__${of === 'host' ? 'Host' : 'Secure'}-${name}` : name
  function set(reply: FastifyReply, value: string, { seconds, path = '/' }: { seconds: number; path?: string }): void {
    const attributes = `Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`
    reply.header('Set-Cookie', `${fullName}=${value}; ${attributes}`)
  }
  return {
    set,
    clear: (reply, at = {}) => set(reply, '', { ...at, seconds: 0 }),
    in({ headers }) {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
      const [found, ...more] = pairs.filter((pair) => pair.startsWith(`${fullName}=`))
      return more.length > 0 ? undefined : found?.slice(fullName.length + 1)
    },
  }
}

/** What each form of a session sends along, so that no other site can send one (CSRF). */
export function formTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('form').digest('hex')
}

/**
 * Whether a form comes from one of our pages. Browsers say where a form comes from. Older ones send only the origin,
 * which our referrer policy makes `null`: then the form's token decides.
 */
export function isOwnOrigin({ headers }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = headers
  return (
    origin === undefined ||
    origin === 'null' ||
    origin === new URL(publicUrl).origin ||
    URL.parse(origin)?.host === headers.host
  )
}

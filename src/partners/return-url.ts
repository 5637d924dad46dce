import { invalidFields } from '../platform/kernel/errors.ts'

/** An address that can be registered: https, or http on one's own computer, without credentials, query or fragment. */
export const returnUrlPattern =
  '^(https://[^/?#@\\s]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]+)?)(/[^?#\\s]*)?$'
export const maxReturnUrls = 20
export const maxReturnUrlLength = 500

/**
 * Throws `validation_failed` unless the URL leads to a page that the partner registered: the origin is the same, and
 * the path begins with the registered one. Plain HTTP counts in a sandbox only. Pure.
 */
export function requireRegisteredReturnUrl(
  returnUrl: string,
  registered: readonly string[],
  realm: 'sandbox' | 'live',
): void {
  if (registered.some((each) => leadsTo(each, returnUrl, realm))) return
  const detail =
    registered.length === 0
      ? 'No return URL is registered for you. Ask the operator to register the pages to which tenants may be sent back.'
      : 'Must begin with an address that is registered for you. Ask the operator to register further ones.'
  throw invalidFields([{ pointer: '/returnUrl', code: 'not_allowed', detail }])
}

function leadsTo(registered: string, returnUrl: string, realm: 'sandbox' | 'live'): boolean {
  const allowed = URL.parse(registered)
  const given = URL.parse(returnUrl)
  if (allowed === null || given === null || (allowed.protocol !== 'https:' && realm === 'live')) return false
  const hasCredentials = given.username !== '' || given.password !== ''
  return given.origin === allowed.origin && !hasCredentials && isBelow(given.pathname, allowed.pathname)
}

/** Whether the path is this folder or page, or lies below it. */
function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

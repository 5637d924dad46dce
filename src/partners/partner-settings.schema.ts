import Type, { type Static, type TOptional, type TSchema, type TUnsafe } from 'typebox'
import { Choice, described, Nullable } from '../platform/http/schemas/named.ts'
import { Email, WholeNumber } from '../platform/http/schemas/values.ts'
import { invalidFields } from '../platform/kernel/errors.ts'

/** An address that can be registered: https, or http on one's own computer, without credentials, query or fragment. */
const returnUrlPattern = '^(https://[^/?#@\\s]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]+)?)(/[^?#\\s]*)?$'
const maxReturnUrls = 20
const maxReturnUrlLength = 500

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

/** Who sends tenants the confirmations that their contracts are in force. */
export const confirmers = ['operator', 'partner'] as const
export type Confirmer = (typeof confirmers)[number]

/** Whether something is done for a partner. */
const onOrOff = ['on', 'off'] as const

/**
 * What the operator sets for a partner, as the operator API takes it. Where nothing is set, it is null. The columns are
 * in partner-settings.store.ts; the options of the command that changes them are in
 * src/cli/partners/partner-options.ts.
 */
const settings = {
  contactEmail: Email('Whom to write to. By default nobody.'),
  requestsPerSecond: WholeNumber({
    minimum: 1,
    maximum: 1_000_000,
    description: "How many calls a second the partner may make. The deployment's own limit applies otherwise.",
  }),
  confirmations: Choice(
    confirmers,
    'Who sends tenants the confirmation when their contract takes effect: you, or the partner, who then reports each one. By default you, if this deployment sends e-mail. Who sends confirmations also tells tenants of changes to their details, card and dates.',
  ),
  nudges: Choice(
    onOrOff,
    'Whether tenants who have opened their pages and not signed are reminded by e-mail, at most twice. By default they are, where you write to them.',
  ),
  agentDocuments: Choice(
    onOrOff,
    "Whether the partner's people can open the contracts of tenants on the pages of the workplace. By default they cannot. Each read is in the audit log.",
  ),
  returnUrls: Type.Array(
    Type.String({
      maxLength: maxReturnUrlLength,
      format: 'uri',
      pattern: returnUrlPattern,
      description: 'An address, without a query.',
    }),
    {
      minItems: 1,
      maxItems: maxReturnUrls,
      description:
        "The partner's pages to which tenants may be sent back, such as https://lettings.example/bills. Each stands for the pages of its origin whose paths begin with its own. http://localhost counts in a sandbox only. By default none.",
    },
  ),
}
type Schemas = typeof settings
type Name = keyof Schemas

/** What the operator has set for a partner. */
export type PartnerSettings = { [Each in Name]: Static<Schemas[Each]> | null }
/** Those that apply to each call of the partner. */
export type CallSettings = Omit<PartnerSettings, 'contactEmail' | 'returnUrls'>

/** The settings as a response has them. */
export const shownSettings = mapSettings((schema) =>
  Nullable(described(schema, `${Reflect.get(schema, 'description')} Null if nothing is set.`)),
) as { [Each in Name]: TUnsafe<PartnerSettings[Each]> }
/** The settings in a request that creates a partner. */
export const newSettings = mapSettings(Type.Optional) as { [Each in Name]: TOptional<Schemas[Each]> }
/** The settings in a request that changes a partner; null clears one. */
export const changedSettings = mapSettings((schema) => Type.Optional(Nullable(schema))) as {
  [Each in Name]: TOptional<TUnsafe<PartnerSettings[Each]>>
}
/** The settings of a partner for which nothing is set. */
export const noSettings = mapSettings(() => null) as { [Each in Name]: null }

/** The settings alone, of a partner with further fields. */
export function settingsOf(partner: PartnerSettings): PartnerSettings {
  return Object.fromEntries(Object.keys(settings).map((name) => [name, partner[name as Name]])) as PartnerSettings
}

function mapSettings(change: (schema: TSchema) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, change(schema)]))
}

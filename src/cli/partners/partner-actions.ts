import { composeCipher } from '../../app/compose.ts'
import { disablePartner } from '../../back-office/partners/disable-partner.ts'
import { createPartner, createPartnerForClientId } from '../../partners/managing/create-partner.ts'
import { changePartner, listAllPartners } from '../../partners/managing/manage-partners.ts'
import { resumePartner, suspendPartner } from '../../partners/managing/suspend-partner.ts'
import { type PartnerSettings, settingsOf } from '../../partners/partner-settings.schema.ts'
import type { Partner } from '../../partners/partners.store.ts'
import type { Scope } from '../../partners/scopes.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print, printError } from '../print.ts'
import { alignRows, formatCount, formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import { settingOptions } from './partner-options.ts'

/**
 * Prints the credentials as JSON (indented for a terminal) and the notes to standard error, so that standard output
 * contains only JSON.
 */
export function printCredentials(credentials: object, json: true | undefined, notes: readonly string[] = []): void {
  if (json) {
    printJson({ ...credentials, ...(notes.length > 0 ? { notes } : {}) })
    return
  }
  print(JSON.stringify(credentials, null, 2))
  const keep = 'clientSecret' in credentials ? ['Save the secret now. Housebill stores only a hash of it.'] : []
  if (keep.length + notes.length > 0) printError(['', ...keep, ...notes].join('\n'))
}

/** The note for a client id of an external identity provider while no such provider is configured. */
export const noProviderNote =
  'No external identity provider is configured (IDP_ISSUER). Until one is, this client id cannot get a token.'

export const externalSecretsNote = 'IDP_ISSUER is set: an external identity provider keeps the secrets.'

export interface CreatePartnerOptions extends JsonOption {
  name: string
  scopes?: readonly Scope[]
  clientId?: string
  allowFrom?: readonly string[]
}

/** `partner create`: prints the credentials as JSON, with or without `--json`. */
export async function runCreatePartner({
  name,
  scopes,
  clientId,
  allowFrom: allowedFrom,
  json,
}: CreatePartnerOptions): Promise<void> {
  if (clientId !== undefined) return register({ name, scopes, clientId, allowedFrom }, json)
  const issued = await withDatabase('partner create', ({ db, realm, secretsAreExternal }) => {
    if (secretsAreExternal)
      throw new CommandError(
        'client_id_required',
        `${externalSecretsNote} Set --client-id to the partner's client id at the provider.`,
      )
    return createPartner({ db, clock: systemClock, realm }, { name, scopes, allowedFrom })
  })
  printCredentials(issued, json)
}

/** Registers a client id of the external identity provider. There is no secret to print. */
async function register(
  client: {
    name: string
    clientId: string
    scopes: readonly Scope[] | undefined
    allowedFrom: readonly string[] | undefined
  },
  json: true | undefined,
): Promise<void> {
  const { registered, isUsable } = await withDatabase('partner create', async ({ db, secretsAreExternal }) => ({
    registered: await createPartnerForClientId({ db, clock: systemClock }, client),
    isUsable: secretsAreExternal,
  }))
  if (registered === undefined)
    throw new CommandError(
      'client_id_taken',
      `${client.clientId} is already registered. "npx housebill partner list" shows its partner.`,
    )
  printCredentials(registered, json, isUsable ? [] : [noProviderNote])
}

/** `partner list`: without `--json`, prints a table of partners, followed by a table of their credentials. */
export async function printPartners({ json }: JsonOption): Promise<void> {
  const found = await withDatabase('partner list', ({ db }) => listAllPartners({ db }))
  const partners = found.map(({ partnerId, name, credentials, createdAt, disabledAt, suspendedAt }) => {
    const status = statusOf({ disabledAt, suspendedAt })
    const clientIds = credentials.map(({ clientId }) => clientId)
    const listed = credentials.map(({ partnerId: _, ...credential }) => credential)
    return { partnerId, name, status, clientIds, createdAt, disabledAt, suspendedAt, credentials: listed }
  })
  if (json) {
    printJson({ partners })
    return
  }
  if (partners.length === 0) {
    print('There are no partners yet. Create one with: npx housebill partner create --name <name>')
    return
  }
  const partnerRows = partners.map(({ partnerId, name, clientIds, createdAt, status, disabledAt, suspendedAt }) => [
    name,
    partnerId,
    clientIds.join(', '),
    formatInstant(createdAt),
    [status, ...[disabledAt ?? suspendedAt].flatMap((at) => (at === null ? [] : [formatInstant(at)]))].join(' '),
  ])
  const credentialRows = partners.flatMap((partner) =>
    partner.credentials.map((each) => [
      each.clientId,
      each.name ?? '',
      partner.name,
      formatInstant(each.createdAt),
      each.expiresAt === null ? 'never' : formatInstant(each.expiresAt),
      each.lastTokenOn ?? 'never',
      each.allowedFrom?.join(' ') ?? 'anywhere',
      each.scopes.join(' '),
    ]),
  )
  print(alignRows([['NAME', 'PARTNER ID', 'CLIENT IDS', 'CREATED', 'STATUS'], ...partnerRows]))
  const headings = ['CLIENT ID', 'NAME', 'PARTNER', 'CREATED', 'EXPIRES', 'LAST TOKEN', 'ALLOWED FROM', 'SCOPES']
  print(`\n${alignRows([headings, ...credentialRows])}`)
}

function statusOf({ disabledAt, suspendedAt }: Pick<Partner, 'disabledAt' | 'suspendedAt'>): string {
  if (disabledAt !== null) return 'disabled'
  return suspendedAt === null ? 'active' : 'suspended'
}

/** `partner disable`: takes the partner's id or one of its client ids. */
export async function runDisablePartner(id: string, { json }: JsonOption): Promise<void> {
  const disabled = await withDatabase('partner disable', ({ db }) => disablePartner({ db, clock: systemClock }, id))
  if (disabled === undefined)
    throw new CommandError(
      'not_found',
      `No partner or client id ${id} exists. "npx housebill partner list" lists them all.`,
    )
  const { partnerId, name, disabledAt, contractsInForce } = disabled
  if (disabledAt === null) throw new Error('a disabled partner has no disabledAt')
  if (json) {
    printJson({ partnerId, name, status: 'disabled', disabledAt, contractsInForce })
    return
  }
  print(`${name} (${partnerId}) was disabled on ${formatInstant(disabledAt)}.`)
  if (contractsInForce > 0)
    print(
      `Its contracts in force (${formatCount(contractsInForce)}) go on, and so do their payments. Serve its customers with "npx housebill customers".`,
    )
}

/** A setting that is `default` is cleared. */
export type ChangePartnerOptions = JsonOption & { name?: string } & {
  [Name in keyof PartnerSettings]?: PartnerSettings[Name] | 'default'
}

/** `partner change`: changes what is given. */
export async function runChangePartner(id: string, { json, name, ...given }: ChangePartnerOptions): Promise<void> {
  const changes: Partial<PartnerSettings> = Object.fromEntries(
    Object.entries(given).map(([setting, value]) => [setting, value === 'default' ? null : value]),
  )
  const partner = await withDatabase('partner change', async ({ db, secrets }) =>
    changePartner({ db, cipher: await composeCipher(db, secrets), clock: systemClock }, id, {
      ...changes,
      name,
    }),
  )
  if (json) {
    printJson({ partnerId: partner.partnerId, name: partner.name, ...settingsOf(partner) })
    return
  }
  const settings = Object.values(settingOptions).map(({ describe }) => describe(partner))
  print(`${partner.name} (${partner.partnerId}): ${settings.join(', ')}.`)
}

/** The command `partner suspend`. */
export async function runSuspendPartner(id: string, { json }: JsonOption): Promise<void> {
  const result = await withDatabase('partner suspend', ({ db }) => suspendPartner({ db, clock: systemClock }, id))
  const { partnerId, name, suspendedAt } = changed(id, result)
  if (suspendedAt === null) throw new Error('a suspended partner has no suspendedAt')
  if (json) printJson({ partnerId, name, status: 'suspended', suspendedAt })
  else
    print(
      `${name} (${partnerId}) has been suspended since ${formatInstant(suspendedAt)}. Its calls are rejected within two seconds.`,
    )
}

/** The command `partner resume`. */
export async function runResumePartner(id: string, { json }: JsonOption): Promise<void> {
  const result = await withDatabase('partner resume', ({ db }) => resumePartner({ db }, id))
  const { partnerId, name } = changed(id, result)
  if (json) printJson({ partnerId, name, status: 'active' })
  else print(`${name} (${partnerId}) is active. Its calls are accepted within two seconds.`)
}

function changed(id: string, result: Awaited<ReturnType<typeof suspendPartner>>): Partner {
  if (!('rejected' in result)) return result
  if (result.rejected === 'partner_disabled')
    throw new CommandError('partner_disabled', `The partner identified by ${id} is disabled. This cannot be undone.`)
  throw new CommandError(
    'not_found',
    `No partner or client id ${id} exists. "npx housebill partner list" lists them all.`,
  )
}

import { composeCipher } from '../../app/compose.ts'
import { createPartner, createPartnerForClientId } from '../../partners/managing/create-partner.ts'
import type { Scope } from '../../partners/scopes.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { type JsonOption, print, printError, printJson } from '../print.ts'
import { withDatabase } from '../with-database.ts'

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
const noProviderNote =
  'No external identity provider is configured (IDP_ISSUER). Until one is, this client id cannot get a token.'

const externalSecretsNote = 'IDP_ISSUER is set: an external identity provider keeps the secrets.'

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
  const issued = await withDatabase('partner create', async ({ db, secrets, realm, secretsAreExternal }) => {
    if (secretsAreExternal)
      throw new CommandError(
        'client_id_required',
        `${externalSecretsNote} Set --client-id to the partner's client id at the provider.`,
      )
    return createPartner(
      { db, clock: systemClock, cipher: await composeCipher(db, secrets), realm },
      { name, scopes, allowedFrom },
    )
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
  const { registered, isUsable } = await withDatabase(
    'partner create',
    async ({ db, secrets, secretsAreExternal }) => ({
      registered: await createPartnerForClientId(
        { db, clock: systemClock, cipher: await composeCipher(db, secrets) },
        client,
      ),
      isUsable: secretsAreExternal,
    }),
  )
  if (registered === undefined)
    throw new CommandError(
      'client_id_taken',
      `${client.clientId} is already registered. "npx housebill call listPartners" shows its partner.`,
    )
  printCredentials(registered, json, isUsable ? [] : [noProviderNote])
}

import { composeCipher } from '../../compose/compose.ts'
import { changePartner } from '../../domain/auth/managing/manage-partners.ts'
import { systemClock } from '../../kernel/clock.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { withDatabase } from '../with-database.ts'

export interface ChangePartnerOptions extends JsonOption {
  name?: string
  /** "" clears it. */
  contactEmail?: string
  /** 0 for the deployment's own limit. */
  requestsPerSecond?: number
}

/** `partner change`: changes what is given. */
export async function runChangePartner(id: string, { json, ...given }: ChangePartnerOptions): Promise<void> {
  const changes = {
    name: given.name,
    contactEmail: given.contactEmail === '' ? null : given.contactEmail,
    requestsPerSecond: given.requestsPerSecond === 0 ? null : given.requestsPerSecond,
  }
  const partner = await withDatabase('partner change', async ({ db, secrets }) =>
    changePartner({ system: db, cipher: await composeCipher(db, secrets), clock: systemClock }, id, changes),
  )
  const { partnerId, name, contactEmail, requestsPerSecond } = partner
  if (json) {
    printJson({ partnerId, name, contactEmail, requestsPerSecond })
    return
  }
  const limit = requestsPerSecond === null ? "the deployment's own limit" : `${requestsPerSecond} calls a second`
  console.log(`${name} (${partnerId}): contact ${contactEmail ?? 'none'}, ${limit}.`)
}

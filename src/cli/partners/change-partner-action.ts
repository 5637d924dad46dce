import { composeCipher } from '../../app/compose.ts'
import type { Confirmer } from '../../contracts/contract.ts'
import { changePartner } from '../../partners/managing/manage-partners.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { withDatabase } from '../with-database.ts'

export interface ChangePartnerOptions extends JsonOption {
  name?: string
  /** "" clears it. */
  contactEmail?: string
  /** 0 for the deployment's own limit. */
  requestsPerSecond?: number
  confirmations?: Confirmer | 'default'
}

/** `partner change`: changes what is given. */
export async function runChangePartner(id: string, { json, ...given }: ChangePartnerOptions): Promise<void> {
  const changes = {
    name: given.name,
    contactEmail: given.contactEmail === '' ? null : given.contactEmail,
    requestsPerSecond: given.requestsPerSecond === 0 ? null : given.requestsPerSecond,
    confirmations: given.confirmations === 'default' ? null : given.confirmations,
  }
  const partner = await withDatabase('partner change', async ({ db, secrets }) =>
    changePartner({ system: db, cipher: await composeCipher(db, secrets), clock: systemClock }, id, changes),
  )
  const { partnerId, name, contactEmail, requestsPerSecond, confirmations } = partner
  if (json) {
    printJson({ partnerId, name, contactEmail, requestsPerSecond, confirmations })
    return
  }
  const limit = requestsPerSecond === null ? "the deployment's own limit" : `${requestsPerSecond} calls a second`
  const confirmer = confirmations === null ? 'by default' : `by the ${confirmations}`
  print(`${name} (${partnerId}): contact ${contactEmail ?? 'none'}, ${limit}, contracts confirmed ${confirmer}.`)
}

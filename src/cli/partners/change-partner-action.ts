import { composeCipher } from '../../app/compose.ts'
import { changePartner } from '../../partners/managing/manage-partners.ts'
import { type PartnerSettings, settingsOf } from '../../partners/partner-settings.schema.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { withDatabase } from '../with-database.ts'

/** A setting that is `default` is cleared. */
export type ChangePartnerOptions = JsonOption & { name?: string } & {
  [Name in keyof PartnerSettings]?: PartnerSettings[Name] | 'default'
}

/** `partner change`: changes what is given. */
export async function runChangePartner(id: string, { json, name, ...given }: ChangePartnerOptions): Promise<void> {
  const settings: Partial<PartnerSettings> = Object.fromEntries(
    Object.entries(given).map(([setting, value]) => [setting, value === 'default' ? null : value]),
  )
  const changes = { ...settings, name }
  const partner = await withDatabase('partner change', async ({ db, secrets }) =>
    changePartner({ system: db, cipher: await composeCipher(db, secrets), clock: systemClock }, id, changes),
  )
  const { contactEmail, requestsPerSecond, confirmations } = partner
  if (json) {
    printJson({ partnerId: partner.partnerId, name: partner.name, ...settingsOf(partner) })
    return
  }
  const limit = requestsPerSecond === null ? "the deployment's own limit" : `${requestsPerSecond} calls a second`
  const confirmer = confirmations === null ? 'by default' : `by the ${confirmations}`
  print(
    `${partner.name} (${partner.partnerId}): contact ${contactEmail ?? 'none'}, ${limit}, contracts confirmed ${confirmer}.`,
  )
}

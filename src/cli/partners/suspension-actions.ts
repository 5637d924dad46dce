import type { Partner } from '../../partners/partners.store.ts'
import { resumePartner, suspendPartner } from '../../partners/suspend-partner.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'

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

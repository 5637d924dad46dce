import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createLogger } from '../../app/logger.ts'
import { startRehearsal } from '../../app/rehearsal.ts'
import { allDatabaseUrls } from '../../platform/config/database-urls.ts'
import { loadEnvironment } from '../../platform/config/load-environment.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, print, printJson } from '../print.ts'

const shippedCard = new URL('../../../reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json', import.meta.url)

export interface RehearsalCommandOptions extends JsonOption {
  out: string
  operatorFile: string
  port: number
}

/** The command `rehearsal`: runs until it is interrupted. */
export async function rehearse({ out, operatorFile, port, json }: RehearsalCommandOptions): Promise<void> {
  const { environment: source, stderr } = invocation()
  const given = await loadEnvironment({ names: allDatabaseUrls, source })
  const log = createLogger('warn', stderr)
  const rehearsal = await startRehearsal({ folder: out, operatorFile, port, given, log })
  const { environmentFile, confirmScript } = rehearsal
  if (json) printJson({ environmentFile, confirmScript })
  else
    print(`The simulators are running. In another terminal:

  set -a; . ${environmentFile}; set +a
  npx housebill config check --connect
  npx housebill migrate
  npx housebill rates publish ${fileURLToPath(shippedCard)}
  npx housebill addresses generate --count 100 --out homes.csv
  npx housebill addresses import homes.csv
  npx housebill partner create --name "Rehearsal"
  npx housebill serve

Then, in a third terminal with the same settings, a partner's program, with SANDBOX_CLIENT_ID and SANDBOX_CLIENT_SECRET
set to the credentials of "Rehearsal". It stops where a tenant enters a card:

  npx housebill journey --base-url https://localhost:${port} --postcode "…"
  ${confirmScript} seti_…

Stop the simulators with Ctrl-C. Run the same command to continue, and delete the folder at the end.`)
  const stopping = new AbortController()
  const { signal } = stopping
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })])
  stopping.abort()
  await rehearsal.stop()
}

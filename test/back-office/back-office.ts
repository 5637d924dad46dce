import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { rawRows } from '../support/customer-fixtures.ts'
import { createOperator } from '../support/operator.ts'
import type { Sealing } from '../support/partners.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const example = fileURLToPath(new URL('../../examples/back-office/follow.ts', import.meta.url))

type FollowedService = Sealing & Pick<ServiceUnderTest, 'baseUrl'>

/**
 * The example back office, as its users run it: a process that stores the contracts of a service in a file of its own.
 */
export class BackOffice {
  readonly #service: FollowedService
  readonly #credentials: Record<string, string>
  readonly #folder: string
  #running: ChildProcess | undefined

  private constructor(service: FollowedService, credentials: Record<string, string>, folder: string) {
    this.#service = service
    this.#credentials = credentials
    this.#folder = folder
  }

  /** Creates credentials and starts the program. */
  static async open(service: FollowedService): Promise<BackOffice> {
    const { clientId, clientSecret } = await createOperator(service, ['contracts:read', 'contracts:write'])
    const credentials = { OPERATOR_CLIENT_ID: clientId, OPERATOR_CLIENT_SECRET: clientSecret }
    const office = new BackOffice(service, credentials, await mkdtemp(join(tmpdir(), 'housebill-back-office-')))
    office.start()
    return office
  }

  start(): void {
    this.#running = spawn(process.execPath, [example, this.#file], {
      stdio: 'ignore',
      env: { ...process.env, HOUSEBILL_URL: this.#service.baseUrl, ...this.#credentials, PAUSE_MS: '50' },
    })
  }

  /** Ends the program without warning. */
  async kill(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    running.kill('SIGKILL')
    await once(running, 'exit')
  }

  async close(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /**
   * Waits until the program has exactly the contracts that the database has, each in its latest version, and has
   * acknowledged those that took effect. Returns them, one line each. Fails if they still differ after a minute: jobs
   * make versions meanwhile.
   */
  async untilComplete(): Promise<string[]> {
    const { stored } = await waitFor(
      'the back office has every contract',
      async () => {
        const wanted = await this.#expected()
        const stored = this.#stored()
        return { stored, missing: wanted.filter((each) => !stored.includes(each)), wanted: wanted.length }
      },
      ({ stored, missing, wanted }) => missing.length === 0 && stored.length === wanted,
    )
    return stored
  }

  get #file(): string {
    return join(this.#folder, 'back-office.sqlite')
  }

  #stored(): string[] {
    const db = new DatabaseSync(this.#file, { readOnly: true, timeout: 5_000 })
    try {
      return db
        .prepare('select number, version, status, acknowledged from contracts order by number')
        .all()
        .map(({ number, version, status, acknowledged }) => `${number} ${version} ${status} ${acknowledged}`)
    } finally {
      db.close()
    }
  }

  async #expected(): Promise<string[]> {
    const rows = await rawRows(
      this.#service,
      `select contract_number as number, status, version, effective_at is not null as effective
         from contracts order by 1`,
    )
    return rows.map(
      ({ number, version, status, effective }) => `${number} ${version} ${status} ${effective === true ? version : 0}`,
    )
  }
}

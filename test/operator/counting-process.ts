// A process for a test to kill: it counts the funnel again and again, now and then from scratch. Argument: the database's URL. Prints a line before each
// count.
import { countFunnel } from '../../src/domain/reports/count-funnel.ts'
import { openDatabases } from '../support/databases.ts'

const databases = await openDatabases(process.argv[2] ?? '')
const { signal } = new AbortController()
for (let run = 1; ; run++) {
  process.stdout.write('counting\n')
  await countFunnel({ databases, signal }, { everything: run % 3 === 0 })
}

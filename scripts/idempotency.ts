// A thousand requests at once with one key, for every POST operation: `npm run test:idempotency`. REQUESTS says how many. Ends with
// exit code 1 where one had more or less than one effect, or another answer.
import { stormEveryPost } from '../test/idempotency/storm.ts'

const given = process.env.REQUESTS ?? ''
if (!/^\d{0,5}$/.test(given)) throw new Error('REQUESTS must be a whole number')
const requests = given === '' ? 1_000 : Number(given)

const report = await stormEveryPost(() => requests)
console.log(`operations: ${report.operations.length}, each asked ${requests} times at once with one key`)
console.log(
  `requests: ${report.requests}, of them in flight: ${report.inFlight}, unavailable: ${report.unavailable}; replayed exactly afterwards: ${report.replays}`,
)

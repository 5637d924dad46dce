import { prepareHousehold } from './household-calls.ts'
import { compareSideBySide } from './side-by-side.ts'

/*
 * `npm run bench:isolation`: what it costs that PostgreSQL keeps partners apart, as ratios to the same server on a database
 * that does not. Both run side by side and take turns, a few hundred requests each. Loopback only; a minute or two; stops by itself.
 */
await compareSideBySide({
  kinds: ['with', 'without'],
  rounds: Number(process.argv[2] ?? 25),
  async prepareCalls(api) {
    const { headers, quoteId, newQuote } = await prepareHousehold(api)
    return [
      { name: 'get quote', method: 'GET', url: `${api}/Quotes/${quoteId}`, headers },
      { name: 'total cost', method: 'GET', url: `${api}/Quotes/${quoteId}/total-cost`, headers },
      { name: 'create quote', method: 'POST', url: `${api}/Quotes`, headers, body: JSON.stringify(newQuote) },
    ]
  },
})

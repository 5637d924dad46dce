import { prepareHousehold } from './household-calls.ts'
import { compareSideBySide } from './side-by-side.ts'

/*
 * `npm run bench:encryption`: what it costs that personal and register data and stored answers are encrypted, as ratios to the
 * same server that stores them as they are. Both run side by side and take turns. Loopback only; some minutes; stops by itself.
 */
const person = {
  firstName: 'Alex',
  lastName: 'Morgan',
  email: 'alex.morgan@example.com',
  phone: '07700 900123',
  dateOfBirth: '1999-05-17',
  psrDetails: {
    hasPsr: true,
    categories: [{ code: '17' }],
    consentToShare: true,
    authorisedContact: {
      firstName: 'Robin',
      lastName: 'Morgan',
      relationship: 'parent',
      phone: '07700 900124',
      consentGiven: true,
    },
  },
}

await compareSideBySide({
  kinds: ['with', 'unencrypted'],
  rounds: Number(process.argv[2] ?? 25),
  async prepareCalls(api) {
    const { headers, quoteId, leadTenantId, newQuote } = await prepareHousehold(api)
    const body = JSON.stringify(newQuote)
    const finalise = `${api}/Customers/${leadTenantId}/finalise-personal-information`
    return [
      { name: 'get quote with three tenants', method: 'GET', url: `${api}/Quotes/${quoteId}`, headers },
      { name: 'get customer', method: 'GET', url: `${api}/Customers/${leadTenantId}`, headers },
      { name: 'total cost', method: 'GET', url: `${api}/Quotes/${quoteId}/total-cost`, headers },
      { name: 'create quote with a key', method: 'POST', url: `${api}/Quotes`, headers, body, withKey: true },
      { name: 'finalise personal information', method: 'POST', url: finalise, headers, body: JSON.stringify(person) },
    ]
  },
})

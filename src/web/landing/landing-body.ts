import { codeBlock, type Html, html } from '../../pages/html.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'

/** A household as the landing page draws it. Amounts are whole pence a month. */
export interface DrawnHousehold {
  /** Where it is; undefined if the drawing is only an example. */
  address?: string
  monthlyCost: number
  lines: readonly { name: string; monthlyCost: number }[]
  /** The lead tenant's share first. `url` opens the tenant's pages. */
  shares: readonly { name: string; monthlyCost: number; url?: string | undefined }[]
}

/** The first call of the page, and what its button does. */
export const firstCall = {
  postcode: 'LS2 9JT',
  packages: ['electricity', 'gas'] as ('electricity' | 'gas')[],
  tenants: ['Ada Lovelace', 'Grace Hopper', 'Mary Somerville'].map((name) => ({
    name,
    email: `${name.split(' ', 1)[0]?.toLowerCase()}@example.com`,
  })),
}

/** Who reads the landing page, and where. */
export interface LandingReader {
  realm: 'sandbox' | 'live'
  publicUrl: string
  operator: { name: string; email: string }
  /** The client id of the sandbox on the reader's own machine; undefined anywhere else. */
  clientId: string | undefined
  hasDesk: boolean
  pictures: { light: string; dark: string }
}

/** What the landing page shows. */
export function landingBody(reader: LandingReader, household: DrawnHousehold): Html {
  const { realm, operator, clientId, hasDesk, pictures } = reader
  const whose = realm === 'live' ? `${operator.name} sells household bills through partners` : 'Sell household bills'
  return html`<div class="hero"><div><h1>${whose}: one call quotes a home and splits the bill to the penny.</h1>
<p>Housebill takes a shared home from its address to signed contracts for electricity, gas and broadband. Each tenant gets a link and signs on their own phone; your program learns of every step.</p>
${household.address === undefined ? null : html`<p class="notice good" role="status">Done: this household is in your sandbox now. Open a tenant’s link and sign.</p>`}
${drawHousehold(household)}
${clientId === undefined ? null : html`<form method="post" action="/"><button>Quote ${household.address === undefined ? 'a' : 'another'} sample home</button></form>`}</div>
<picture><source srcset="${pictures.dark}" media="(prefers-color-scheme: dark)"><img src="${pictures.light}" alt="A tenant’s page on a phone: their share of the bill, and what happens next" width="390" height="780"></picture></div>
<ul class="ways">
<li><h2>Developers</h2><p>From a token to a contract in five minutes.</p><p><a href="/docs/guides/quickstart">Quickstart</a><br><a href="/docs/reference">API reference</a><br><a href="/docs/guides/clients">Client for TypeScript</a>: <code>npm install ${reader.publicUrl}/downloads/housebill-client.tgz</code><br>Postman: import <a href="/openapi-3.0.json">/openapi-3.0.json</a></p></li>
<li><h2>Agencies</h2><p>Sell without building screens: tenants sign on our pages.</p><p><a href="/docs/guides/sell-without-screens">Sell with our pages</a><br><a href="/workplace">Workplace</a></p></li>
<li><h2>Operators</h2><p>Contracts, payments and hand-over files, on your own machines.</p><p>${hasDesk && html`<a href="/desk">Desk</a><br>`}<a href="/operator-api/openapi.json">Operator API</a></p></li>
</ul>
<h2>The first call</h2>
${credentialsOf(reader)}
<div class="example">${codeBlock(commandsOf(reader))}</div>`
}

function credentialsOf({ realm, operator, clientId }: LandingReader): Html {
  const secret = html`Set <code>SANDBOX_CLIENT_SECRET</code> in your terminal to`
  if (clientId !== undefined)
    return html`<p>${secret} the secret that the first start of this sandbox printed. Then paste:</p>`
  if (realm === 'sandbox')
    return html`<p>Whoever runs this sandbox gives you a client id and a secret. ${secret} the secret, then paste:</p>`
  return html`<p>To become a partner, write to ${operator.name}: <a href="mailto:${operator.email}">${operator.email}</a>. You get a client id and a secret. Set <code>CLIENT_SECRET</code> in your terminal to the secret, then paste:</p>`
}

/** The first call as commands for a shell that has the secret in its environment, with curl and sed only. */
function commandsOf({ realm, publicUrl, clientId = 'your-client-id' }: LandingReader): string {
  const prefix = realm === 'sandbox' ? 'SANDBOX_' : ''
  const member = (name: string) => `sed 's/[^{]*{[^}]*"${name}":"\\([^"]*\\)".*/\\1/'`
  const tenants = firstCall.tenants.map((each) => JSON.stringify(each))
  return `API=${publicUrl}/partner-api
export ${prefix}CLIENT_ID=${clientId}
TOKEN=$(curl -s $API/Auth/token -H 'Content-Type: application/json' -d @- <<END \\
  | ${member('access_token')}
{"clientId":"$${prefix}CLIENT_ID","clientSecret":"$${prefix}CLIENT_SECRET"}
END
)
HOME_UID=$(curl -s "$API/Addresses/lookup?postcode=${firstCall.postcode.replace(' ', '+')}" \\
  -H "Authorization: Bearer $TOKEN" | ${member('addressUid')})
curl -s $API/Households -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"addressUid":"'$HOME_UID'","packages":${JSON.stringify(firstCall.packages)},"tenants":[
    ${tenants.join(',\n    ')}]}'`
}

/** The household with its bill as one bar, split into the tenants' shares. */
function drawHousehold({ address, monthlyCost, lines, shares }: DrawnHousehold): Html {
  const amount = (whole: number) => formatPounds(pence(whole))
  const width = 300 / shares.length
  const rooms = shares.map(({ name, monthlyCost: share }, index) => {
    const x = 30 + index * width
    return html`<rect x="${x + 4}" y="92" width="${width - 8}" height="74" rx="6"/><text x="${x + width / 2}" y="122">${name.split(' ', 1)[0]}</text><text class="sum" x="${x + width / 2}" y="147">${amount(share)}</text>`
  })
  const inWords = shares.map(({ name, monthlyCost: share }) => `${name} ${amount(share)}`).join(', ')
  const links = shares.filter(({ url }) => url !== undefined)
  return html`<figure class="household"><svg viewBox="0 0 360 190" role="img" aria-label="The household pays ${amount(monthlyCost)} a month: ${inWords}"><path d="M14 86 180 14 346 86"/><path d="M30 80v100h300V80"/><text class="sum" x="180" y="70">${amount(monthlyCost)} a month</text>${rooms}</svg>
<figcaption>${address ?? 'From a recorded response'}: ${lines.map((line) => `${line.name} ${amount(line.monthlyCost)}`).join(', ')}.</figcaption>
${links.length === 0 ? null : html`<ul>${links.map(({ name, url }) => html`<li><a href="${url}">Open ${name}’s link</a></li>`)}</ul>`}</figure>`
}

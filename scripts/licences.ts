// Checks the licences of all runtime packages: `npm run licences`. Exits with 1 if a licence is not allowed.
import { isAllowed, productionLicences } from './supply-chain/licences.ts'

const licensed = productionLicences()
for (const [licence, packages] of Map.groupBy(licensed, (each) => each.licence ?? 'none named'))
  console.log(`${licence}: ${packages.length}`)
const rejected = licensed.filter(({ licence }) => !isAllowed(licence))
for (const { name, version, licence } of rejected)
  console.error(
    `${name} ${version}: ${licence ?? 'no licence'}. Choose another package, or allow it in scripts/supply-chain/licences.ts`,
  )
if (rejected.length > 0) process.exitCode = 1

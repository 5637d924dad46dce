// Prints a bill of materials (CycloneDX) of all runtime packages: `npm run --silent sbom > sbom.json`.
import { billOfMaterials } from './supply-chain/bill-of-materials.ts'

console.log(JSON.stringify(billOfMaterials('housebill'), null, 2))

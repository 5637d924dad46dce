// A bill of materials (CycloneDX) of everything the service runs with: `npm run --silent sbom > sbom.json`.
import { billOfMaterials } from './supply-chain/bill-of-materials.ts'

console.log(JSON.stringify(billOfMaterials('housebill'), null, 2))

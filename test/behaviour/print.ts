// Prints what partners and operators rely on, one fact per line: node test/behaviour/print.ts > test/behaviour/released.txt
import { listBehaviourFacts } from './facts.ts'

console.log((await listBehaviourFacts()).join('\n'))

// The console's first module: puts it into the page the server sent.
import { readDeployment } from './deployment.ts'
import { startShell } from './shell.ts'

const root = document.getElementById('console')
if (root === null) throw new Error('the served page has no place for the console')
startShell(root, readDeployment(root))

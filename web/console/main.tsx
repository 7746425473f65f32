/** Entry of the charts in the console of operators, which are drawn into a page of the server. */
import { render } from 'preact'
import { Charts } from './charts.tsx'

const holder = document.getElementById('charts')
if (holder !== null) render(<Charts />, holder)

import 'uplot/dist/uPlot.min.css';
import './styles/style.css';
import './styles/parts.css';
import './styles/overview.css';
import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root) render(<App />, root);

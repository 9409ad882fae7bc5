import 'uplot/dist/uPlot.min.css';
import './styles/style.css';
import './styles/parts.css';
import './styles/overview.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { queries } from './api/queries.ts';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root)
  render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
    root,
  );

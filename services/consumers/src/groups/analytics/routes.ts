import { listRoute } from '../../list-routes.ts';
import type { FigureRepository } from './figure-repository.ts';
import { figuresOut, figuresQuery } from './schemas.ts';

export const figureRoutes = ({ list }: FigureRepository) => [
  listRoute({
    path: '/figures',
    operationId: 'listFigures',
    summary: 'List the figures of each day',
    page: 'FiguresPage',
    query: figuresQuery,
    item: figuresOut,
    list,
  }),
];

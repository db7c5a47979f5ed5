# One image for arbiter, worker, dashboard and migrations; docker-compose.yml says which one a container is.
FROM python:3.12-slim

RUN useradd --system --uid 10001 --home-dir /arena --shell /usr/sbin/nologin arena
WORKDIR /arena
COPY pyproject.toml README.md ./
COPY rummy rummy
COPY arbiter arbiter
COPY workers workers
COPY api api
COPY sample_bots sample_bots
# In place, so that SQL files, templates and sample bots are found beside the code.
RUN pip install --no-cache-dir --editable '.[server]'

USER arena
ENV PYTHONUNBUFFERED=1
CMD ["python", "-m", "api"]

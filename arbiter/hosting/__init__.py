"""Hosted bots: one process a lane, started at first use, watched, and ended with everything it has started.

What the rest of the arbiter uses (arbiter/hosting/lanes.py):

    LaneKey(version_id, lane)
    Lanes(fetch, folder=…, logs=…, address=…, trusted=…, on_lane_died=…)
        fetch(version_id) -> bytes            the package (a zip), called in a thread; raises NotFound
        folder                                a folder of the run folder, for lanes and runtime
        logs                                  a folder that outlives it: VERSION-lane-LANE.log, and .before.log for the
                                              life before
        address                               what the bot dials: "unix:/run/…/bots.sock"
        on_lane_died(key, LaneDeath)          called in the loop when a lane ended that nobody stopped;
                                              LaneDeath(cause, text): cause is "crashed" or "resources"
        await ensure(version_id, lane)        the process runs (it may not have dialled yet); after a death: a new one.
                                              BotNeverStarted where the package is at fault, Forbidden without trusted
        lane_of(token) -> LaneKey | None      whose token this is; tokens change with every process
        name_of(version_id, lane) -> str      name and version, as the package says; for provisional versions too
        tail(version_id, lane) -> str         the last lines that the lane has written
        await stop(version_id, lane)          ends one lane; no on_lane_died
        await close()                         ends all lanes
        admit(content) -> int                 a provisional (negative) version id for a package that is not stored yet,
        await dismiss(version_id)             until this; for qualifying matches

At its start the arbiter calls `check_trust(trust_bots=…, bots_listen=…)` (arbiter/hosting/trust.py, SettingsError), and
once its unix socket exists, `open_to_lanes(path)` (arbiter/hosting/reach.py), so that lanes of other users can dial it.
"""

package io.hadir.presence.inspect;

import io.hadir.presence.room.Seat;
import java.util.concurrent.CompletionStage;

/** Reads all that Redis has about a seat. */
public interface SeatRecords {
    CompletionStage<SeatRecord> read(Seat seat);
}

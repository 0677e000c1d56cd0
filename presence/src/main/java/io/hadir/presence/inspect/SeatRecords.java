package io.hadir.presence.inspect;

import io.hadir.presence.room.Seat;
import java.util.concurrent.CompletionStage;

/** What is written about single seats, for those who want to know why. */
public interface SeatRecords {
    CompletionStage<SeatRecord> read(Seat seat);
}
